import { LRUCache } from 'lru-cache'
import * as z from 'zod/mini'
import type { PushDocument } from '../access/push-subscription-documents.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import { atMost } from '../lib/at-most.ts'
import { isForShowingOnly } from './push-endpoint.ts'

const chatsRemembered = 20_000

const id = z.string()
const shownElsewhere = z.object({ userId: id, peerId: id, deviceId: id, upTo: z.number() })
const readElsewhere = z.object({ userId: id, peerId: id, upTo: z.number() })

interface Chat {
  userId: string
  peerId: string
}

/** A person has read a chat up to a place, an `orderedAt`. */
export interface PushedRead extends Chat {
  upTo: number
  /** The sign-in that read it, where known: its device needs no push. */
  sessionId: string | undefined
}

/** Devices that show messages of a chat which was read on another. */
export type ReadDevices = Chat & { deviceIds: readonly string[] }

/** A push under way to its service: the chat may be read meanwhile. */
interface Flight extends Chat {
  device: PushDocument
  read: PushedRead | undefined
}

const keyOf = ({ userId, peerId }: Chat) => `${userId} ${peerId}`

/**
 * Which devices show messages of which chats, as far as their pushes tell. Each is told once that
 * its chat was read, then not again until it is pushed a message: browsers allow few silent pushes.
 * In memory and bounded: what is forgotten is closed by the chat's next push.
 */
export function createShownPushes(options: {
  link: ServerLink | undefined
  onRead: (devices: ReadDevices) => void
}) {
  const { link, onRead } = options
  const shown = new LRUCache<string, Map<string, number>>(atMost(chatsRemembered))
  const flights = new Set<Flight>()

  function record({ userId, peerId, deviceId, upTo }: z.infer<typeof shownElsewhere>) {
    const key = keyOf({ userId, peerId })
    const devices = shown.get(key) ?? new Map<string, number>()
    devices.set(deviceId, Math.max(upTo, devices.get(deviceId) ?? 0))
    shown.set(key, devices)
  }

  /** @returns the devices that showed nothing later */
  function forget({ userId, peerId, upTo }: z.infer<typeof readElsewhere>): string[] {
    const key = keyOf({ userId, peerId })
    const devices = shown.get(key)
    if (!devices) return []
    const over = [...devices].filter(([, place]) => place <= upTo).map(([deviceId]) => deviceId)
    for (const deviceId of over) devices.delete(deviceId)
    if (devices.size === 0) shown.delete(key)
    return over
  }

  function end(flight: Flight, upTo: number | undefined) {
    flights.delete(flight)
    if (upTo === undefined) return
    const { userId, peerId, device, read } = flight
    const deviceId = device._id
    if (read && read.upTo >= upTo) {
      if (read.sessionId !== device.sessionId) onRead({ userId, peerId, deviceIds: [deviceId] })
      return
    }
    record({ userId, peerId, deviceId, upTo })
    link?.publish('push-shown', { userId, peerId, deviceId, upTo })
  }

  const stopListening = [
    link?.listen('push-shown', (data) => record(shownElsewhere.parse(data))),
    link?.listen('push-read', (data) => void forget(readElsewhere.parse(data))),
  ]

  return {
    /**
     * A push of a chat's messages begins.
     * @returns its end: with the place of the newest message once its service has taken it
     */
    begin(device: PushDocument, peerId: string): (upTo: number | undefined) => void {
      if (!canTakeRead(device)) return () => {}
      const flight: Flight = { userId: device.userId, peerId, device, read: undefined }
      flights.add(flight)
      return (upTo) => end(flight, upTo)
    },

    recordRead(read: PushedRead) {
      const { userId, peerId, upTo, sessionId } = read
      for (const flight of flights) {
        const isOfChat = flight.userId === userId && flight.peerId === peerId
        if (isOfChat && upTo > (flight.read?.upTo ?? 0)) flight.read = read
      }
      const over = forget({ userId, peerId, upTo })
      if (over.length === 0) return
      link?.publish('push-read', { userId, peerId, upTo })
      const deviceIds = over.filter((deviceId) => deviceId !== `push:${userId}:${sessionId}`)
      if (deviceIds.length > 0) onRead({ userId, peerId, deviceIds })
    },

    close() {
      for (const stop of stopListening) stop?.()
      shown.clear()
      flights.clear()
    },
  }
}

/** May this device be told by a push that shows nothing? */
export function canTakeRead({ endpoint, understands }: PushDocument): boolean {
  return understands?.includes('read') === true && !isForShowingOnly(endpoint)
}
