import { useEffect, useRef, useState } from 'react'
import type {
  ArchiveProgress,
  RestoredArchive,
  SavedArchive,
} from '../../sync/archive/archive-format.ts'
import { formatBytes } from '../../ui/format/format-amounts.ts'

const format = (count: number) => count.toLocaleString('en')

export type ArchiveRun<Result> =
  | { state: 'idle'; error?: string }
  | { state: 'running'; progress?: ArchiveProgress }
  | { state: 'done'; result: Result }

interface Pace {
  signal: AbortSignal
  onProgress(progress: ArchiveProgress): void
}

/** One export or import at a time; it ends with its screen. */
export function useArchiveRun<Result>(fallback: string) {
  const [run, setRun] = useState<ArchiveRun<Result>>({ state: 'idle' })
  const under = useRef<AbortController>(undefined)
  useEffect(() => () => under.current?.abort(), [])

  async function start(work: (pace: Pace) => Promise<Result>) {
    const own = new AbortController()
    under.current = own
    setRun({ state: 'running' })
    try {
      const result = await work({
        signal: own.signal,
        onProgress(progress) {
          if (!own.signal.aborted) setRun({ state: 'running', progress })
        },
      })
      setRun({ state: 'done', result })
    } catch (cause) {
      const isWorded = cause instanceof Error && cause.name !== 'AbortError'
      const words = (isWorded && cause.message) || fallback
      const isQuiet = own.signal.aborted && !isWorded
      setRun(isQuiet ? { state: 'idle' } : { state: 'idle', error: words })
    }
  }
  return {
    run,
    start: (work: (pace: Pace) => Promise<Result>) => void start(work),
    cancel: () => under.current?.abort(),
  }
}

export function describeProgress(progress: ArchiveProgress | undefined): string {
  if (!progress) return 'Getting ready…'
  const { stage, done, total } = progress
  if (stage === 'messages') return `${format(done)} of ${format(total)} messages`
  if (total === 0) return stage === 'checking' ? 'Checking the file…' : 'Getting ready…'
  const place = `file ${format(Math.min(done + 1, total))} of ${format(total)}`
  return stage === 'checking' ? `Checking ${place}` : `Copying ${place}`
}

/** @returns what an export has, and what it lacks */
export function describeSaved(saved: SavedArchive): { has: string; lacks?: string } {
  const { zip, name, messageCount, fileCount, missingCount } = saved
  const has = `${name}, ${formatBytes(zip.size)}: ${count(messageCount, 'message')} and ${count(fileCount, 'file')}.`
  if (missingCount === 0) return { has }
  const files = missingCount === 1 ? '1 file is' : `${format(missingCount)} files are`
  return {
    has,
    lacks: `${files} not in it, because this device doesn't have ${missingCount === 1 ? 'it' : 'them'}.`,
  }
}

export function describeRestored(restored: RestoredArchive): string {
  const { messageCount, conversationCount, fileCount } = restored
  if (messageCount + conversationCount + fileCount === 0) {
    return 'Everything in this file is on this device already.'
  }
  return `${count(messageCount, 'message')}, ${count(conversationCount, 'chat')} and ${count(fileCount, 'file')} added or brought up to date.`
}

function count(number: number, thing: string): string {
  return `${format(number)} ${thing}${number === 1 ? '' : 's'}`
}
