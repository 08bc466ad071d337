import type { ServerEvent } from '../../../schema/api/socket-events.ts'
import { limits } from '../../../schema/limits.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'

export interface Presence {
  isOnline(userId: string): boolean
  /** To this person. */
  isTyping(userId: string): boolean
  /** Who types in this group, the first first; the same list until that changes. */
  listTyping(groupId: string): readonly string[]
}

export interface PresenceOfPeople {
  presence: LiveValue<Presence>
  handle(event: ServerEvent): void
  /** Without a connection nothing is known. */
  forget(): void
  close(): void
}

/**
 * Who is online and who is typing, as the socket reports. Stores nothing.
 * @param options.onLeft called with a person who just left: the server now knows when they were last
 * seen
 * @param options.onHere called with the people that the server names as online, also once more
 * @param options.onLost called with those who were online when the connection was lost
 */
export function createPresence(options: {
  onLeft: (userIds: readonly string[]) => void
  onHere: (userIds: readonly string[]) => void
  onLost: (userIds: readonly string[]) => void
}): PresenceOfPeople {
  const { onLeft, onHere, onLost } = options
  let online: ReadonlySet<string> = new Set()
  /** The next list covers other people: a person missing from it may still be online. */
  let isOtherScope = false
  const typing = new Map<string, Typing & { timer: ReturnType<typeof setTimeout> }>()
  const presence = createLiveValue<Presence>(snapshot())

  function snapshot(): Presence {
    const nowOnline = online
    const inGroups = new Map<string, string[]>()
    const toMe = new Set<string>()
    for (const { userId, groupId } of typing.values()) {
      if (groupId === undefined) toMe.add(userId)
      else inGroups.set(groupId, [...(inGroups.get(groupId) ?? []), userId])
    }
    return {
      isOnline: (id) => nowOnline.has(id),
      isTyping: (id) => toMe.has(id),
      listTyping: (groupId) => inGroups.get(groupId) ?? nobody,
    }
  }

  function stopTyping(one: Typing) {
    const key = nameTyping(one)
    clearTimeout(typing.get(key)?.timer)
    if (typing.delete(key)) presence.set(snapshot())
  }

  function startTyping(one: Typing) {
    const key = nameTyping(one)
    const before = typing.get(key)
    clearTimeout(before?.timer)
    typing.set(key, { ...one, timer: setTimeout(() => stopTyping(one), limits.typingShownMs) })
    if (!before) presence.set(snapshot())
  }

  function forget() {
    if (online.size > 0) onLost([...online])
    close()
  }

  function close() {
    for (const { timer } of typing.values()) clearTimeout(timer)
    typing.clear()
    isOtherScope = false
    setOnline(new Set())
  }

  function setOnline(next: ReadonlySet<string>) {
    online = next
    presence.set(snapshot())
  }

  function handleList(userIds: readonly string[]) {
    const before = online
    setOnline(new Set(userIds))
    if (!isOtherScope) onLeft([...before].filter((id) => !online.has(id)))
    isOtherScope = false
    onHere(userIds)
  }

  function handleChange(change: { online: readonly string[]; offline: readonly string[] }) {
    const left = change.offline.filter((id) => online.has(id))
    const gone = new Set(left)
    setOnline(new Set([...[...online].filter((id) => !gone.has(id)), ...change.online]))
    onLeft(left)
    onHere(change.online)
  }

  return {
    presence,
    handle(event) {
      if (event.event === 'presence-scope') isOtherScope = true
      if (event.event === 'users-online') handleList(event.data)
      if (event.event === 'presence-changed') handleChange(event.data)
      if (event.event === 'user-typing') startTyping(event.data)
      if (event.event === 'user-stop-typing') stopTyping(event.data)
      if (event.event === 'receive-message') stopTyping({ userId: event.data.senderId })
    },
    forget,
    close,
  }
}

interface Typing {
  userId: string
  groupId?: string | undefined
}

const nobody: readonly string[] = []

const nameTyping = ({ userId, groupId = '' }: Typing) => `${groupId} ${userId}`
