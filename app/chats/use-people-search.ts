import { useEffect, useMemo, useState } from 'react'
import { kindOf } from '../../schema/conversation.ts'
import { limits } from '../../schema/limits.ts'
import type { PublicUser } from '../../schema/user.ts'
import { ApiError, isPassing } from '../api/api-error.ts'
import { foldText } from '../database/search/fold-text.ts'
import { isSearchable } from '../database/search/search-query.ts'
import type { PeopleDirectory } from '../sync/messenger-types.ts'
import { type BackOff, createBackOff } from '../sync/platform/back-off.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'

interface PeopleFound {
  people: readonly PublicUser[]
  /** The query that the server has answered, or failed to. */
  query: string
  /** Whether the server could not be asked: these are the people that the device knows. */
  isLocal: boolean
}

const nobody: PeopleFound = { people: [], query: '', isLocal: false }
/** Temporary failures: no connection, a timeout, or too many requests; a retry may succeed. */

/**
 * People for a query of two characters or more: the device's own immediately, the server's when
 * they arrive (P10). `users.problem` holds the reason when the server fails.
 */
export function usePeopleSearch(users: PeopleDirectory, query: string): PeopleFound {
  const known = useLiveValue(useMemo(() => users.list(), [users]))
  const [there, setThere] = useState(nobody)
  const isAsked = query.length >= limits.userSearchMinLength
  useEffect(() => {
    if (!isAsked) return setThere(nobody)
    const stop = new AbortController()
    const backOff = createBackOff({ random: Math.random })
    searchUntilAnswered({
      users,
      query,
      backOff,
      signal: stop.signal,
      onAnswer: (people) => setThere({ people, query, isLocal: false }),
      onFailed: () => setThere({ people: [], query, isLocal: true }),
    }).catch(() => {})
    addEventListener('online', backOff.hurry)
    return () => {
      removeEventListener('online', backOff.hurry)
      stop.abort()
      backOff.close()
    }
  }, [users, query, isAsked])
  const people = useMemo(() => {
    const here = isSearchable(query) ? findPeople(known, query) : []
    const answered = there.query === query ? there.people : []
    const found = new Map([...here, ...answered].map((person) => [person._id, person]))
    return [...found.values()].sort((a, b) => a.username.localeCompare(b.username))
  }, [known, there, query])
  return { people, query: there.query, isLocal: there.isLocal }
}

/**
 * Retries with back-off, so that one broken connection does not hide the person searched for.
 */
async function searchUntilAnswered(options: {
  users: PeopleDirectory
  query: string
  backOff: BackOff
  signal: AbortSignal
  onAnswer: (people: readonly PublicUser[]) => void
  onFailed: () => void
}) {
  const { users, query, backOff, signal, onAnswer, onFailed } = options
  for (;;) {
    const attempt = await backOff.begin(signal)
    try {
      const people = await users.search(query)
      signal.throwIfAborted()
      return onAnswer(people)
    } catch (cause) {
      signal.throwIfAborted()
      onFailed()
      if (!(cause instanceof ApiError)) throw cause
      if (!isPassing(cause)) return
      backOff.fail(attempt, { atLeastMs: cause.retryAfterMs })
    }
  }
}

/**
 * The people whose name, WhatsApp name or number contains the query, ignoring accents and case.
 * 'WhatsApp' finds all customers.
 */
export function findPeople(people: readonly PublicUser[], query: string): PublicUser[] {
  const wanted = foldText(query)
  return people.filter((person) => {
    const { username, whatsapp_name, phone_number } = person
    const isCustomer = kindOf(person) === 'business'
    return [username, whatsapp_name, phone_number, isCustomer && 'WhatsApp'].some(
      (part) => part && foldText(part).includes(wanted),
    )
  })
}
