import { useEffect, useState } from 'react'
import { limits } from '../../schema/limits.ts'
import type { PublicUser } from '../../schema/user.ts'
import type { PeopleDirectory } from '../sync/messenger.ts'

interface PeopleFound {
  people: readonly PublicUser[]
  /** The query that these people were found for. */
  query: string
}

const nobody: PeopleFound = { people: [], query: '' }

/** People for a query of two characters or more. Why the server did not answer stands in `users.problem`. */
export function usePeopleSearch(users: PeopleDirectory, query: string): PeopleFound {
  const [found, setFound] = useState(nobody)
  useEffect(() => {
    if (query.length < limits.userSearchMinLength) return setFound(nobody)
    const watch = { isOver: false }
    const take = (people: readonly PublicUser[]) => {
      if (!watch.isOver) setFound({ people, query })
    }
    users.search(query).then(take, () => take([]))
    return () => {
      watch.isOver = true
    }
  }, [users, query])
  return found
}
