import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installPackage } from './install-package.mjs'

const program = process.platform === 'win32' ? 'redis-server.exe' : 'redis-server'

/**
 * Finds redis-server, or installs it: Debian's package for root.
 * @returns {Promise<boolean>} whether there is one now
 */
export async function ensureRedis() {
  if (hasRedis()) return true
  return (await installPackage('redis-server')) && hasRedis()
}

/** Can the tests start redis-server by its name? */
function hasRedis() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, program)))
}
