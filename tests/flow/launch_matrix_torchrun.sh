#!/bin/bash
# The launch matrix under the real torchrun, whose every agent and rank takes seconds to load.
LAUNCHERS=torchrun exec "$BASH" "$(dirname "$0")/launch_matrix.sh"
