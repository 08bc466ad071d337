import { useEffect, useMemo, useState } from 'react'
import { limits } from '../../schema/limits.ts'
import type { PublicUser } from '../../schema/user.ts'
import type { PeopleDirectory } from '../sync/messenger.ts'
import { useLiveValue } from '../ui/use-live-value.ts'
import { findPeople } from './find-people.ts'

interface PeopleFound {
  people: readonly PublicUser[]
  /** The query that the server has answered, or could not. */
  query: string
}

const nobody: PeopleFound = { people: [], query: '' }

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
    const watch = { isOver: false }
    const take = (people: readonly PublicUser[]) => {
      if (!watch.isOver) setThere({ people, query })
    }
    users.search(query).then(take, () => take([]))
    return () => {
      watch.isOver = true
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
