#!/usr/bin/env bash
# One allocation, Snakemake inside: the least work for Slurm, and the quickest way for short trials.
#
#   source .venv/bin/activate
#   sbatch --partition=… --account=… workflow/profiles/slurm/allocation.sh [targets] [--configfile …]
#
# Arguments go to Snakemake. Options given to sbatch come before those below.
#SBATCH --job-name=unbounded
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=32
#SBATCH --mem=64G
#SBATCH --time=24:00:00
#SBATCH --output=slurm-%x-%j.log
# Ten minutes before the end Snakemake is told to start no further trial. Submit again for the rest: what is there stays.
#SBATCH --signal=B:TERM@600
set -euo pipefail

# `exec`: the signal must reach Snakemake. Memory is counted, so that large trials do not crowd the node; your own
# `--resources` stands in for that.
exec snakemake --resources mem_mb="${SLURM_MEM_PER_NODE:?submit with --mem}" --cores "$SLURM_CPUS_PER_TASK" "$@"
