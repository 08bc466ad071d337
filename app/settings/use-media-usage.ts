import { useCallback, useEffect, useState } from 'react'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'

export type ChatUsage = Awaited<ReturnType<Messenger['files']['listUsage']>>[number]

export type MediaClearing =
  | { kind: 'none' }
  | { kind: 'running'; done: number; total: number }
  | { kind: 'done'; bytes: number }
  | { kind: 'failed'; words: string }

/** What each chat takes on this device, read again after each clearing. */
export function useMediaUsage(
  files: Pick<Messenger['files'], 'listUsage' | 'clear' | 'tidied'>,
  onCleared: () => void,
) {
  const [chats, setChats] = useState<readonly ChatUsage[]>()
  const [problem, setProblem] = useState<string>()
  const [clearing, setClearing] = useState<MediaClearing>({ kind: 'none' })

  const read = useCallback(async () => {
    try {
      setChats(await files.listUsage())
      setProblem(undefined)
    } catch {
      setProblem("Couldn't read what your chats take on this device. Reload the page to try again.")
    }
  }, [files])
  const round = useLiveValue(files.tidied)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was tidied is read again
  useEffect(() => void read(), [read, round])

  async function clear(peerId: string | undefined) {
    setClearing({ kind: 'running', done: 0, total: 1 })
    try {
      const onProgress = (progress: { done: number; total: number }) =>
        setClearing({ kind: 'running', ...progress })
      const bytes = await files.clear({ peerId, onProgress })
      setClearing({ kind: 'done', bytes })
    } catch (cause) {
      setClearing({ kind: 'failed', words: wordsOf(cause) })
    }
    await read()
    onCleared()
  }

  return { chats, problem, clearing, clear }
}
