import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
]

/**
 * The path of Chromium on this machine: CHROMIUM_PATH, a system installation, or Playwright's
 * download.
 * @returns {string | undefined}
 */
export function findChromium() {
  const { chromium } = createRequire(import.meta.url)('playwright-core')
  return [process.env.CHROMIUM_PATH, ...places, chromium.executablePath()].find(
    (path) => path && existsSync(path),
  )
}

/**
 * The path of Chromium's headless shell, which renders and runs pages as Chromium does and takes half of its processor
 * time: CHROMIUM_SHELL_PATH, else Debian's. A CHROMIUM_PATH that a person has set is for all tests.
 * @returns {string | undefined}
 */
export function findHeadlessShell() {
  const { CHROMIUM_PATH, CHROMIUM_SHELL_PATH } = process.env
  const found = [
    CHROMIUM_SHELL_PATH,
    CHROMIUM_PATH ? undefined : '/usr/bin/chromium-headless-shell',
  ]
  return found.find((path) => path && existsSync(path))
}
