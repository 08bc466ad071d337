import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'

/** A stopped server's LevelDB as JSON, each key with its value. */
export type StoreDump = readonly (readonly [string, string])[]

/** For tests: reads a store, as a fixture of what an earlier build left on servers. */
export async function dumpStore(dataDir: string): Promise<StoreDump> {
  const level = openLevel(dataDir)
  const entries = await level.iterator().all()
  await level.close()
  return entries
}

/** For tests: writes a dump into a folder that has no store. */
export async function loadStore(dataDir: string, dump: StoreDump): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const level = openLevel(dataDir)
  await level.batch(dump.map(([key, value]) => ({ type: 'put', key, value })))
  await level.close()
}

function openLevel(dataDir: string) {
  return new ClassicLevel<string, string>(join(dataDir, 'store'), {
    keyEncoding: 'utf8',
    valueEncoding: 'utf8',
  })
}
