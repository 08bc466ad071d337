import { readdirSync, readFileSync } from 'node:fs'
import { top } from './project.mjs'

const kits = /from '.*\/start-(redis|test-servers)\.ts'/

/**
 * The test files that start a Redis, relative to the top folder.
 * @returns {string[]}
 */
export function listRedisTests() {
  return readdirSync(`${top}sync-server`, { recursive: true, encoding: 'utf8' })
    .map((file) => `sync-server/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && kits.test(readFileSync(top + file, 'utf8')))
    .sort()
}
