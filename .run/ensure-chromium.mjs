import { findChromium, findHeadlessShell } from './find-chromium.mjs'
import { installPackage } from './install-package.mjs'
import { runTool } from './project.mjs'

/**
 * Finds Chromium, or installs it: Debian's package for root, else Playwright's download.
 * @returns {Promise<string>} its path
 */
export async function ensureChromium() {
  const found = findChromium()
  if (found) return found
  const installed = (await installPackage('chromium')) && findChromium()
  if (installed) return installed
  await runTool('playwright-core', ['install', 'chromium'])
  const downloaded = findChromium()
  if (downloaded) return downloaded
  console.error('No Chromium was found, and none could be installed. Set CHROMIUM_PATH to one.')
  return process.exit(1)
}

/**
 * Finds Chromium's headless shell, or installs Debian's package for root. Without one the tests run in Chromium itself.
 * @returns {Promise<string | undefined>} its path
 */
export async function ensureHeadlessShell() {
  const isChosen = Boolean(process.env.CHROMIUM_PATH)
  if (!findHeadlessShell() && !isChosen) await installPackage('chromium-headless-shell')
  return findHeadlessShell()
}
