import * as z from 'zod/mini'
import {
  deviceLinkDecided,
  deviceLinkDecision,
  deviceLinkId,
  type ScannedDevice,
  scannedDevice,
  scannedDeviceQuery,
} from '../../../schema/api/device-link.ts'
import { limits } from '../../../schema/limits.ts'
import type { Accounts } from '../../access/accounts.ts'
import {
  type DeviceLink,
  type DeviceLinks,
  type LinkOutcome,
  linkRefusals,
} from '../../access/device-links.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import { findAccount } from '../users/find-account.ts'
import type { LinkLimits } from './link-limits.ts'

const idParam = z.object({ id: deviceLinkId })
const errors = [...linkRefusals, 'too_many_device_links'] as const

/** The calls of a signed-in person who scanned the code of a new device. */
export function createScannedDeviceRoutes(options: {
  deviceLinks: DeviceLinks
  linkLimits: LinkLimits
  accounts: Accounts
}): Route[] {
  const { deviceLinks, linkLimits, accounts } = options

  function present(link: DeviceLink, address: string): ScannedDevice {
    const state = nameState(link)
    // Refusals come as such: a link that is looked at is open, or has been used.
    if (state !== 'scanned' && state !== 'approved' && state !== 'done') {
      throw new RequestRefused('device_link_unknown')
    }
    return {
      state,
      publicKey: link.publicKey,
      ...(link.agreement && { agreement: link.agreement }),
      device: link.device,
      isSameNetwork: link.address === address,
      startedAt: new Date(link.startedAt).toISOString(),
      expiresInMs: deviceLinks.leftOf(link),
    }
  }

  return [
    defineRoute({
      method: 'post',
      path: '/users/me/device-links/{id}',
      access: 'signed-in',
      summary: 'Scans a code: nobody else can confirm it from now on. Tells which device it is.',
      params: idParam,
      status: 200,
      answer: scannedDevice,
      errors: [...errors, 'user_not_found'],
      async handle({ caller, params: { id }, address }) {
        linkLimits.admit(caller.userId)
        const { username, passwordChanges } = await findAccount(accounts, caller.userId)
        const by = { ...caller, username, ...(passwordChanges && { passwordChanges }) }
        const outcome = await deviceLinks.take({ kind: 'scan', id, by })
        return present(linkLimits.require(outcome, caller.userId), address)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/users/me/device-links/{id}',
      access: 'signed-in',
      summary: 'Waits up to 25 s for the scanned device to cancel, or to be signed in.',
      params: idParam,
      query: scannedDeviceQuery,
      status: 200,
      answer: scannedDevice,
      errors,
      async handle({ caller, params: { id }, query: { seen }, address, signal: gone }) {
        linkLimits.admit(caller.userId)
        const look = await deviceLinks.take({ kind: 'view', id })
        const before = requireOwn(linkLimits.require(look, caller.userId), caller.userId)
        const isNews = (outcome: LinkOutcome) =>
          !('link' in outcome) || nameState(outcome.link) !== seen
        const withinMs = Math.min(limits.deviceLinks.waitMaxMs, deviceLinks.leftOf(before))
        const outcome = await deviceLinks.watch(id, { isNews, withinMs, gone })
        return present(linkLimits.require(outcome, caller.userId), address)
      },
    }),

    defineRoute({
      method: 'put',
      path: '/users/me/device-links/{id}',
      access: 'signed-in',
      summary: 'Confirms or declines the sign-in of the device whose code you scanned; once.',
      params: idParam,
      body: deviceLinkDecision,
      status: 200,
      answer: deviceLinkDecided,
      errors,
      async handle({ caller: { userId }, params: { id }, body }) {
        linkLimits.admit(userId)
        const { isAllowed } = body
        const outcome = await deviceLinks.take({ kind: 'decide', id, userId, ...body })
        linkLimits.require(outcome, userId)
        return { state: isAllowed ? ('approved' as const) : ('refused' as const) }
      },
    }),
  ]
}

function requireOwn(link: DeviceLink, userId: string): DeviceLink {
  if (link.by?.userId !== userId) throw new RequestRefused('device_link_unknown')
  return link
}

function nameState({ state }: DeviceLink) {
  return state === 'used' ? 'done' : state
}
