import { randomBytes, randomUUID } from 'node:crypto'
import { unreachable } from '../../../schema/helpers/unreachable.ts'
import { limits } from '../../../schema/limits.ts'
import type { DeviceLink, LinkOutcome, LinkRefusal, LinkStep } from './device-link.ts'

const { stepMs, openPerNetworkMax, keptMax } = limits.deviceLinks
const deviceMaxLength = 200

/**
 * The links that this server keeps, in memory: each lives for minutes, and a restart costs a scan.
 * Each step happens in one turn of the event loop, so nobody takes the same step twice.
 * @param onChange called with the id of a link that changed
 * @param now epoch ms
 */
export function createPendingLinks(options: {
  onChange: (id: string) => void
  now?: () => number
}) {
  const { onChange, now = Date.now } = options
  const links = new Map<string, DeviceLink>()

  /** Ended links stay for a while, so that whoever comes late learns why. */
  function sweep() {
    for (const [id, { expiresAt }] of links) if (expiresAt + stepMs < now()) links.delete(id)
  }

  function change(link: DeviceLink, next: Partial<DeviceLink>): LinkOutcome {
    Object.assign(link, next)
    onChange(link.id)
    return { link: { ...link } }
  }

  function findEnd({ state, expiresAt }: DeviceLink): LinkRefusal | undefined {
    switch (state) {
      case 'used':
        return 'device_link_used'
      case 'refused':
        return 'device_link_refused'
      case 'cancelled':
        return 'device_link_cancelled'
      case 'waiting':
      case 'scanned':
      case 'approved':
        return expiresAt <= now() ? 'device_link_expired' : undefined
      default:
        return unreachable(state)
    }
  }

  function take(link: DeviceLink, step: LinkStep): LinkOutcome {
    // For a while a used link can still be seen: the device whose answer got lost asks again.
    const isJustUsed = link.state === 'used' && link.expiresAt > now()
    if (step.kind === 'view' && isJustUsed) return { link: { ...link } }
    const refusal = findEnd(link)
    if (refusal) return { refusal }
    switch (step.kind) {
      case 'view':
        return { link: { ...link } }
      case 'scan':
        if (link.by && link.by.userId !== step.by.userId) return { refusal: 'device_link_used' }
        if (link.state === 'approved') return { link: { ...link } }
        return change(link, { state: 'scanned', by: step.by, expiresAt: now() + stepMs })
      case 'decide':
        if (link.by?.userId !== step.userId) return { refusal: 'device_link_unknown' }
        if (link.state !== 'scanned') return { refusal: 'device_link_used' }
        if (!step.isAllowed) return change(link, { state: 'refused' })
        return change(link, {
          state: 'approved',
          finalChallenge: newSecret(),
          sessionId: randomUUID(),
          expiresAt: now() + stepMs,
        })
      case 'cancel':
        return change(link, { state: 'cancelled' })
      case 'use':
        if (link.state !== 'approved') return { refusal: 'device_link_not_approved' }
        return change(link, { state: 'used' })
      default:
        return unreachable(step)
    }
  }

  return {
    has: (id: string) => links.has(id),

    /**
     * The same again for a device whose answer got lost, as long as nobody has scanned its code.
     * @returns undefined when there is no room (P12), or the same key was used before
     */
    begin(given: Pick<DeviceLink, 'id' | 'publicKey' | 'device' | 'address'>) {
      sweep()
      const before = links.get(given.id)
      const isRepeated = before?.publicKey === given.publicKey && before.state === 'waiting'
      if (isRepeated && findEnd(before) === undefined) return { ...before }
      const isOpen = (link: DeviceLink) => findEnd(link) === undefined
      const ofNetwork = [...links.values()].filter(({ address }) => address === given.address)
      const isFull = links.size >= keptMax || ofNetwork.filter(isOpen).length >= openPerNetworkMax
      if (isFull || links.has(given.id)) return undefined
      const startedAt = now()
      const link: DeviceLink = {
        ...given,
        device: given.device.slice(0, deviceMaxLength),
        startedAt,
        expiresAt: startedAt + stepMs,
        state: 'waiting',
        challenge: newSecret(),
      }
      links.set(link.id, link)
      return { ...link }
    },

    take(step: LinkStep): LinkOutcome {
      const link = links.get(step.id)
      return link ? take(link, step) : { refusal: 'device_link_unknown' }
    },
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
