import { existsSync } from 'node:fs'
import { runCommand } from './project.mjs'

/** @type {Promise<number> | undefined} */
let updating

/**
 * Installs a Debian package if no password is needed: as root, on a system with apt-get.
 * @param {string} name
 * @returns {Promise<boolean>} whether it is installed now
 */
export async function installPackage(name) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const quietly = { DEBIAN_FRONTEND: 'noninteractive' }
  updating ??= runCommand('apt-get', ['update', '-qq'], quietly)
  if ((await updating) !== 0) return false
  const install = ['install', '-y', '-qq', '--no-install-recommends', name]
  return (await runCommand('apt-get', install, quietly)) === 0
}
