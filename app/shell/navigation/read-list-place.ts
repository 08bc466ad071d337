import type { ListPlace } from '../../conversation/message-list/list-place.ts'

/** The scroll position of a chat's messages, from the navigation state. */
export function readListPlace(state: unknown): ListPlace | undefined {
  const place: unknown = typeof state === 'object' && state && Reflect.get(state, 'listPlace')
  if (typeof place !== 'object' || place === null) return undefined
  const messageId: unknown = Reflect.get(place, 'messageId')
  const offsetPx: unknown = Reflect.get(place, 'offsetPx')
  if (typeof messageId !== 'string' || !Number.isFinite(offsetPx)) return undefined
  return { messageId, offsetPx: Number(offsetPx) }
}
