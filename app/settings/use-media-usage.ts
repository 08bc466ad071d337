import { useCallback, useEffect, useState } from 'react'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import type { Messenger } from '../sync/messenger-types.ts'

export type MediaUsage = Awaited<ReturnType<Messenger['files']['listUsage']>>[number]

export type MediaClearing =
  | { kind: 'none' }
  | { kind: 'running'; done: number; total: number }
  | { kind: 'done'; bytes: number }
  | { kind: 'failed'; words: string }

/** The media size on this device, reloaded after each clearing. */
export function useMediaUsage(
  files: Pick<Messenger['files'], 'listUsage' | 'clear'>,
  onCleared: () => void,
) {
  const [chats, setChats] = useState<readonly MediaUsage[]>()
  const [problem, setProblem] = useState<string>()
  const [clearing, setClearing] = useState<MediaClearing>({ kind: 'none' })

  const read = useCallback(async () => {
    try {
      setChats(await files.listUsage())
      setProblem(undefined)
    } catch {
      setProblem("Couldn't read what media take on this device. Reload the page to try again.")
    }
  }, [files])
  useEffect(() => void read(), [read])

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
