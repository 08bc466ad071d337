import { useEffect, useMemo, useRef, useState } from 'react'
import { limits } from '../../../schema/limits.ts'
import type { MessageSearch } from '../../sync/messenger-types.ts'
import { useDebounced } from '../../ui/hooks/use-debounced.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { type Hit, mergeHits, readServerHits } from './merge-hits.ts'

/** The number of hits per read. */
const pageSize = 500
const nothing: readonly Hit[] = []

type Found = Awaited<ReturnType<MessageSearch['find']>>

interface LocalHits extends Pick<Found, 'isComplete' | 'next'> {
  hits: readonly Hit[]
  query: string
}

const none: LocalHits = { hits: nothing, query: '', isComplete: true }

/** Asks the server; rejects when it cannot be reached. */
export type AskServer = (request: {
  query: string
  userId: string
}) => Promise<readonly { _id: string; orderedAt: string; content: string }[]>

interface ChatSearchOptions {
  search: MessageSearch
  peerId: string
  query: string
  askServer: AskServer
}

interface ChatSearch {
  /** Newest first. */
  hits: readonly Hit[]
  /** The query of these hits. */
  query: string
  /** False while the index still lacks messages of this device. */
  isComplete: boolean
  /** Does this device have more hits? `findMore` loads them. */
  hasMore: boolean
  findMore(): void
}

/**
 * The hits for a text in one conversation: this device's first, merged with the server's when they
 * arrive.
 */
export function useChatSearch({ search, peerId, query, askServer }: ChatSearchOptions): ChatSearch {
  const asked = useDebounced(query.trim(), limits.userSearchDebounceMs)
  const [local, setLocal] = useState(none)
  const [remote, setRemote] = useState({ hits: nothing, query: '' })
  const grown = useLivePart(search.progress, (progress) =>
    progress.state === 'ready' ? progress.generation : progress.state,
  )
  const request = useMemo(() => ({ text: asked, grown }), [asked, grown])

  useEffect(() => {
    const { text } = request
    if (text === '') return setLocal(none)
    const watch = { isOver: false }
    search.find({ text, peerId, limit: pageSize }).then(
      ({ messages, ...found }) =>
        !watch.isOver && setLocal({ ...found, hits: messages, query: text }),
      () => !watch.isOver && setLocal({ ...none, query: text }),
    )
    return () => {
      watch.isOver = true
    }
  }, [search, peerId, request])

  useEffect(() => {
    if (asked === '') return
    const watch = { isOver: false }
    askServer({ query: asked, userId: peerId }).then(
      (found) => {
        if (!watch.isOver) setRemote({ hits: readServerHits(found, asked), query: asked })
      },
      // Without the server only the device's own hits count.
      () => {},
    )
    return () => {
      watch.isOver = true
    }
  }, [askServer, peerId, asked])

  const isReading = useRef(false)
  const findMore = () => {
    const { query: text, next: before } = local
    if (!before || isReading.current) return
    isReading.current = true
    search
      .find({ text, peerId, limit: pageSize, before })
      .then(
        ({ messages, next }) =>
          setLocal((now) =>
            now.query === text && now.next === before
              ? { ...now, hits: [...now.hits, ...messages], next }
              : now,
          ),
        // Keeps the hits found so far; the next step tries again.
        () => {},
      )
      .finally(() => {
        isReading.current = false
      })
  }

  const theirs = remote.query === local.query ? remote.hits : nothing
  const hits = useMemo(() => mergeHits(local.hits, theirs), [local.hits, theirs])
  const { query: found, isComplete, next } = local
  return { hits, query: found, isComplete, hasMore: next !== undefined, findMore }
}
