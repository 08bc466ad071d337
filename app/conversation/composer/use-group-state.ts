import { useMemo } from 'react'
import type { KnownGroup } from '../../database/storage/known-peer.ts'
import { findGroupCreation } from '../../database/storage/queued-request.ts'
import { joinNames } from '../../database/views/join-names.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'

/** More members than this are only counted. */
const namedMost = 12

/**
 * Is the server still to make this group? `waiting`: it has not answered yet, `refused`: it will not.
 * Undefined for one that is made.
 */
export function useGroupCreation(
  { requests }: Pick<Messenger, 'requests'>,
  groupId: string,
): { state: 'waiting' | 'refused'; entryId: string; problem: string | undefined } | undefined {
  const entry = useLivePart(requests.entries, (entries) => findGroupCreation(entries, groupId))
  return entry && { state: entry.state, entryId: entry._id, problem: entry.problem?.words }
}

/** 'Ben, Cem, You': who is in the group; undefined while nobody is known. */
export function useMemberNames(
  { users, userId }: Pick<Messenger, 'users' | 'userId'>,
  { members }: KnownGroup,
): string | undefined {
  const named = useMemo(
    () => members.filter((one) => one.userId !== userId).slice(0, namedMost),
    [members, userId],
  )
  const names = useLiveValue(
    useMemo(
      () =>
        joinNames(
          named.map((one) => one.userId),
          users.get,
        ),
      [named, users],
    ),
  )
  const isIn = members.some((one) => one.userId === userId)
  const rest = members.length - named.length - (isIn ? 1 : 0)
  const parts = [...names.values(), ...(rest > 0 ? [`${rest} more`] : []), ...(isIn ? ['You'] : [])]
  return parts.join(', ') || undefined
}

/** Who types in this group now. */
export function useTypingNames(
  { users, presence }: Pick<Messenger, 'users' | 'presence'>,
  groupId: string,
): readonly string[] {
  const userIds = useLivePart(presence, (now) => now.listTyping(groupId))
  const names = useLiveValue(useMemo(() => joinNames(userIds, users.get), [userIds, users]))
  return [...names.values()]
}

/** 'Ann is typing…', 'Ann and Ben are typing…', '4 are typing…'. */
export function describeTyping(names: readonly string[]): string {
  const [one = '', other] = names
  if (names.length === 1) return `${one} is typing…`
  if (names.length === 2) return `${one} and ${other} are typing…`
  return `${names.length} are typing…`
}
