import { existsSync } from 'node:fs'
import { findChromium } from './find-chromium.mjs'
import { runCommand, runOrExit, runTool } from './project.mjs'

/**
 * Finds a Chromium, or gets one: Debian's package for root, else Playwright's download.
 * @returns {Promise<string>} its path
 */
export async function ensureChromium() {
  const found = findChromium()
  if (found) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await runOrExit('apt-get', ['update', '-qq'])
    const code = await runCommand('apt-get', [
      'install',
      '-y',
      '-qq',
      '--no-install-recommends',
      'chromium',
    ])
    const installed = findChromium()
    if (code === 0 && installed) return installed
  }
  await runTool('playwright-core', ['install', 'chromium'])
  const downloaded = findChromium()
  if (downloaded) return downloaded
  console.error('No Chromium was found, and none could be installed. Set CHROMIUM_PATH to one.')
  return process.exit(1)
}
