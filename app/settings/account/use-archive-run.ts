import { useEffect, useRef, useState } from 'react'
import type { ArchiveProgress } from '../../sync/archive/archive-format.ts'

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
