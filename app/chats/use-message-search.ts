import { useEffect, useMemo, useState } from 'react'
import { limits } from '../../schema/limits.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { MessageSearch } from '../sync/messenger-types.ts'
import { useLivePart } from '../ui/hooks/use-live-value.ts'

interface MessagesFound {
  messages: readonly MessageDocument[]
  /** The query of these messages. */
  query: string
  hasMore: boolean
  /** False while the index still lacks messages of this device. */
  isComplete: boolean
  error?: string
}

const nothing: MessagesFound = { messages: [], query: '', hasMore: false, isComplete: true }
const pageSize = 30

/**
 * This device's messages for a query of two characters or more; searches again as the index grows.
 */
export function useMessageSearch(search: MessageSearch, query: string) {
  const [found, setFound] = useState(nothing)
  const [wanted, setWanted] = useState({ query, count: pageSize })
  const count = wanted.query === query ? wanted.count : pageSize
  // Rounded to tenths, so that a growing index does not rerender the list constantly.
  const grown = useLivePart(search.progress, (progress) =>
    progress.state === 'building' ? Math.floor(progress.share * 10) : progress.state,
  )
  const asked = useMemo(() => ({ query, count, grown }), [query, count, grown])
  useEffect(() => {
    const { query, count } = asked
    if (query.length < limits.userSearchMinLength) return setFound(nothing)
    const watch = { isOver: false }
    search.find({ text: query, limit: count }).then(
      ({ messages, next, isComplete }) => {
        if (!watch.isOver) setFound({ messages, query, hasMore: next !== undefined, isComplete })
      },
      () => {
        const error = 'The messages on this device could not be searched. Please try again.'
        if (!watch.isOver) setFound({ ...nothing, query, error })
      },
    )
    return () => {
      watch.isOver = true
    }
  }, [search, asked])
  return { ...found, showMore: () => setWanted({ query, count: count + pageSize }) }
}
