#!/usr/bin/env python3
"""Renders the conda recipe as rattler-build does before it builds, for each kind of processor that wheels have.

Usage: conda_render.py RECIPE
"""

import sys

from rattler_build import PlatformConfig, RattlerBuildError, RenderConfig, Stage0Recipe, VariantConfig

PLATFORMS = ("linux-64", "linux-aarch64")
# What a channel pins; any compiler will do to render.
VARIANTS = VariantConfig({"cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]})


def main():
    try:
        recipe = Stage0Recipe.from_file(sys.argv[1])
        for platform in PLATFORMS:
            config = RenderConfig(platform=PlatformConfig(target_platform=platform))
            for variant in recipe.render(VARIANTS, config):
                stated = variant.recipe.to_dict()
                needs = stated["requirements"]
                if not all(needs.get(part) for part in ("build", "host")) or not stated.get("tests"):
                    sys.exit(f"{sys.argv[1]}: no requirements or no tests for {platform}")
                print(f"{platform}: {stated['package']['name']} {stated['package']['version']}, {len(needs['host'])} libraries to build with")
    except RattlerBuildError as error:
        sys.exit(f"{sys.argv[1]}: {error}")


if __name__ == "__main__":
    main()
