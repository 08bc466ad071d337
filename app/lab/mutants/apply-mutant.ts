import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './lists/mutant.ts'

/**
 * Applies the fault to a checkout.
 * @returns the function that reverts it
 * @throws when its text does not occur exactly once
 */
export function applyMutant(
  top: string,
  { file, before, after }: Pick<Mutant, 'file' | 'before' | 'after'>,
): () => void {
  const path = join(top, file)
  const source = readFileSync(path, 'utf8')
  const [head, tail, ...others] = source.split(before)
  if (head === undefined || tail === undefined || others.length > 0) {
    const count = source.split(before).length - 1
    throw new Error(`${file} holds this text ${count} times, and not once:\n${before}`)
  }
  writeFileSync(path, head + after + tail)
  return () => writeFileSync(path, source)
}
