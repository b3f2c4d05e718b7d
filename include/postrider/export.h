/* What a program may call: everything else is hidden in the shared library. Plain C, because c_api.h includes it. */
#ifndef POSTRIDER_EXPORT_H
#define POSTRIDER_EXPORT_H

#if defined(_WIN32)
/* Shared libraries are not built for Windows yet. */
#define POSTRIDER_EXPORT
#else
#define POSTRIDER_EXPORT __attribute__((visibility("default")))
#endif

#endif
