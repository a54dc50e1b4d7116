"""How proofs are run and told."""

import argparse
import concurrent.futures
import os
import traceback

from harness.runner import Failed

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../../..")


def main(text, proofs):
    """Each of the proofs brings forth names and what proves each; those of all are run side by side, and told in order."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="only these")
    parser.add_argument("--programs", default=f"{ROOT}/.build/debug", help="the folder of corewire-runner")
    chosen = parser.parse_args()
    program = f"{chosen.programs}/corewire-runner"
    cases = [case for group in proofs for case in group(program) if not chosen.name or case[0] in chosen.name]

    def verdict(prove):
        try:
            prove()
        except Failed as failure:
            return str(failure)
        except Exception:
            return traceback.format_exc()
        return None

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        verdicts = [(name, pool.submit(verdict, prove)) for name, prove in cases]
        for name, running in verdicts:
            reason = running.result()
            failed += reason is not None
            print(f"FAIL {name}: {reason}" if reason else f"pass {name}", flush=True)
    return 1 if failed else 0
