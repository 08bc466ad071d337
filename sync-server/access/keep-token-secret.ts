import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The token secret, from `dataDir/jwt-secret`; created there, readable by the owner only, when
 * absent. Losing the file signs everybody out and loses nothing else.
 */
export function keepTokenSecret(dataDir: string): string {
  const path = join(dataDir, 'jwt-secret')
  mkdirSync(dataDir, { recursive: true })
  try {
    const made = randomBytes(48).toString('base64url')
    writeFileSync(path, made, { mode: 0o600, flag: 'wx', flush: true })
    return made
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const kept = readFileSync(path, 'utf8').trim()
    if (kept.length < 32) throw new Error(`${path} must hold at least 32 characters; remove it.`)
    return kept
  }
}
