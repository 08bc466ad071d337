import { useEffect, useMemo, useState } from 'react'
import { limits } from '../../schema/limits.ts'
import type { PublicUser } from '../../schema/user.ts'
import { ApiError } from '../api/api-error.ts'
import type { PeopleDirectory } from '../sync/messenger-types.ts'
import { type BackOff, createBackOff } from '../sync/platform/back-off.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { findPeople } from './find-people.ts'

interface PeopleFound {
  people: readonly PublicUser[]
  /** The query that the server has answered, or could not. */
  query: string
}

const nobody: PeopleFound = { people: [], query: '' }
/** Nobody was there, or too many asked: it may be answered another time. */
const passing = new Set([0, 408, 429])

/**
 * People for a query of two characters or more: those whom the device knows at once, the server's when they
 * come (P10). Why the server did not answer stands in `users.problem`.
 */
export function usePeopleSearch(users: PeopleDirectory, query: string): PeopleFound {
  const known = useLiveValue(useMemo(() => users.list(), [users]))
  const [there, setThere] = useState(nobody)
  const isAsked = query.length >= limits.userSearchMinLength
  useEffect(() => {
    if (!isAsked) return setThere(nobody)
    const stop = new AbortController()
    const backOff = createBackOff({ random: Math.random })
    const take = (people: readonly PublicUser[]) => setThere({ people, query })
    searchUntilAnswered({ users, query, backOff, signal: stop.signal, onAnswer: take }).catch(
      () => {},
    )
    addEventListener('online', backOff.hurry)
    return () => {
      removeEventListener('online', backOff.hurry)
      stop.abort()
      backOff.close()
    }
  }, [users, query, isAsked])
  const people = useMemo(() => {
    const here = isAsked ? findPeople(known, query) : []
    const answered = there.query === query ? there.people : []
    const found = new Map([...here, ...answered].map((person) => [person._id, person]))
    return [...found.values()].sort((a, b) => a.username.localeCompare(b.username))
  }, [known, there, query, isAsked])
  return { people, query: there.query }
}

/**
 * A line that breaks once must not hide whom somebody looks for: it is asked again, later after each failure.
 * @param options.onAnswer told nobody where the server could not be asked yet
 */
async function searchUntilAnswered(options: {
  users: PeopleDirectory
  query: string
  backOff: BackOff
  signal: AbortSignal
  onAnswer: (people: readonly PublicUser[]) => void
}) {
  const { users, query, backOff, signal, onAnswer } = options
  for (;;) {
    const attempt = await backOff.begin(signal)
    try {
      const people = await users.search(query)
      signal.throwIfAborted()
      return onAnswer(people)
    } catch (cause) {
      signal.throwIfAborted()
      onAnswer([])
      if (!(cause instanceof ApiError)) throw cause
      const { status, retryAfterMs } = cause
      if (!passing.has(status) && status < 500) return
      backOff.fail(attempt, { atLeastMs: retryAfterMs })
    }
  }
}
