import { execFile } from 'node:child_process'
import { buildServer } from './open-test-process.ts'

/** For tests: the built command with these words, as in a terminal that nobody types in. */
export async function runPetrel(env: Record<string, string>, words: readonly string[]) {
  const args = [...(await buildServer()), ...words]
  return await new Promise<{ code: number; said: string; complaint: string }>((resolve) => {
    const child = execFile(process.execPath, args, { env }, (error, said, complaint) => {
      resolve({ code: Number(error?.code ?? 0), said, complaint })
    })
    child.stdin?.end()
  })
}
