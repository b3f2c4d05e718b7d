#pragma once

namespace postrider::bench {

// OpenBLAS reads these when it is loaded, which is before main: sets them and starts the program
// anew. Returns if they are set. One thread; and the instruction set of its kernels, since version
// 0.3.21 takes SSE3 code on processors newer than itself, which would slow libtorch down by half on
// large networks. A core type that was set by the caller is kept.
void prepare_environment(char** argv);

}  // namespace postrider::bench
