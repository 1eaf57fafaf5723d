// Checks that antigravity-proxy runs when DSH starts, and repairs DSH's route to it.
// All of it is done by the command antigravity-proxy, so this file knows no settings and no file formats.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const COMMAND = 'antigravity-proxy'
const WORK = [['status', '--autostart'], ['provision', 'dsh']]
const TIMEOUT_MS = 30_000
const run = promisify(execFile)

export const name = COMMAND

/** Begins the work and returns at once; what fails is said on stderr, and DSH goes on. */
export function apply() {
  void checkAndRepair()
}

async function checkAndRepair() {
  for (const words of WORK) {
    try {
      await run(COMMAND, words, { timeout: TIMEOUT_MS })
    } catch (error) {
      console.error(explain(error))
      if (error.code === 'ENOENT') return
    }
  }
}

function explain(error) {
  if (error.code === 'ENOENT') {
    return `${COMMAND} is not installed. Install it: pipx install FOLDER, with the folder of its repository`
  }
  return error.stderr?.trim() || `${COMMAND} failed: ${error.message}`
}
