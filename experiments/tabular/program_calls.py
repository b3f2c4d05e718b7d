"""What the experiments that call the program `postrider` itself share."""
import argparse
import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def parsed(text):
    """The options of such an experiment, and the program; none, which is said, if there is no data."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if not options.data:
        print("skipped, it needs --data DIR or POSTRIDER_DATA")
        return None
    options.data = pathlib.Path(options.data)
    options.program = pathlib.Path(options.build, "src/cli/postrider").resolve()
    return options
