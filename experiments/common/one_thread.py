"""One thread for every method. To be imported before any of the libraries, which read these variables when they start."""
import os

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

for variable in VARIABLES:
    os.environ[variable] = "1"
