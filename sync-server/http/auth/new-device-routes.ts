import * as z from 'zod/mini'
import { signedIn } from '../../../schema/api/auth.ts'
import {
  deviceLinkBegin,
  deviceLinkBegun,
  deviceLinkCancel,
  deviceLinkCancelled,
  deviceLinkComplete,
  deviceLinkId,
  deviceLinkStep,
  deviceLinkWait,
  type ProofPurpose,
} from '../../../schema/api/device-link.ts'
import { limits } from '../../../schema/limits.ts'
import type { Accounts } from '../../access/accounts.ts'
import { checkProof, isUsableKey, toLinkId } from '../../access/check-proof.ts'
import {
  type DeviceLink,
  type DeviceLinks,
  type LinkOutcome,
  linkRefusals,
} from '../../access/device-links.ts'
import type { Sessions } from '../../access/sessions.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { LinkLimits } from './link-limits.ts'
import type { SignIn } from './sign-in.ts'

const idParam = z.object({ id: deviceLinkId })
const unknownDevice = 'Unknown device'
const errors = [...linkRefusals, 'device_link_wrong_key', 'too_many_device_links'] as const

/**
 * The calls of a device that has no sign-in yet. Its link's id stands in a code that others may see,
 * so each call but the first proves the device's key by a signature.
 */
export function createNewDeviceRoutes(options: {
  deviceLinks: DeviceLinks
  linkLimits: LinkLimits
  accounts: Accounts
  sessions: Sessions
  signIn: SignIn
  publicUrl: string | undefined
}): Route[] {
  const { deviceLinks, linkLimits, accounts, sessions, signIn, publicUrl } = options

  /** @throws RequestRefused unless the caller holds the link's key */
  async function findOwn(proof: {
    id: string
    signature: string
    purpose: ProofPurpose
    address: string
  }): Promise<DeviceLink> {
    const { id, address, purpose } = proof
    linkLimits.admit(address)
    const link = linkLimits.require(await deviceLinks.take({ kind: 'view', id }), address)
    const challenge = purpose === 'complete' ? link.finalChallenge : link.challenge
    if (challenge === undefined) throw new RequestRefused('device_link_not_approved')
    const { publicKey } = link
    if (await checkProof({ ...proof, publicKey, challenge })) return link
    throw new RequestRefused('device_link_wrong_key')
  }

  /** Did this link's device get its sign-in, and is that still open? For an answer that got lost. */
  const findSignIn = async ({ by, sessionId }: DeviceLink) =>
    by && (await sessions.list(by.userId)).find((session) => session.sessionId === sessionId)

  return [
    defineRoute({
      method: 'post',
      path: '/auth/device-links',
      access: 'anyone',
      summary: 'Begins to sign this device in by a code that a signed-in device scans.',
      body: deviceLinkBegin,
      status: 201,
      answer: deviceLinkBegun,
      errors: ['too_many_device_links'],
      async handle({ body: { publicKey, agreement }, address, request }) {
        linkLimits.countBegun(address)
        const isUsable = await isUsableKey(publicKey)
        if (!isUsable) throw new RequestRefused('invalid_input', { details: 'publicKey' })
        const device = request.get('user-agent') ?? unknownDevice
        const link = deviceLinks.begin({
          id: toLinkId(publicKey, agreement),
          publicKey,
          ...(agreement && { agreement }),
          device,
          address,
        })
        if (!link) throw new RequestRefused('busy')
        return {
          id: link.id,
          challenge: link.challenge,
          publicUrl: publicUrl ?? null,
          expiresInMs: deviceLinks.leftOf(link),
        }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/auth/device-links/{id}/wait',
      access: 'anyone',
      summary: 'Waits up to 25 s for the code to be scanned or confirmed.',
      params: idParam,
      body: deviceLinkWait,
      status: 200,
      answer: deviceLinkStep,
      errors,
      async handle({ params: { id }, body, address, signal: gone }) {
        const { signature, seen } = body
        const before = await findOwn({ id, signature, purpose: 'wait', address })
        const isNews = (outcome: LinkOutcome) => !('link' in outcome) || outcome.link.state !== seen
        const withinMs = Math.min(limits.deviceLinks.waitMaxMs, deviceLinks.leftOf(before))
        const outcome = await deviceLinks.watch(id, { isNews, withinMs, gone })
        const link = linkLimits.require(outcome, address)
        const { state, by, finalChallenge } = link
        // The device itself used it, and lost the answer: `complete` gives it once more.
        const shown = state === 'used' ? 'approved' : state
        if (shown === 'refused' || shown === 'cancelled') {
          throw new RequestRefused(`device_link_${shown}`)
        }
        return {
          state: shown,
          expiresInMs: deviceLinks.leftOf(link),
          ...(by && { username: by.username }),
          ...(finalChallenge && { challenge: finalChallenge }),
        }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/auth/device-links/{id}/cancel',
      access: 'anyone',
      summary: 'Withdraws the code: whoever scanned it cannot confirm it any more.',
      params: idParam,
      body: deviceLinkCancel,
      status: 200,
      answer: deviceLinkCancelled,
      errors,
      async handle({ params: { id }, body: { signature }, address }) {
        await findOwn({ id, signature, purpose: 'cancel', address })
        linkLimits.require(await deviceLinks.take({ kind: 'cancel', id }), address)
        return { isCancelled: true as const }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/auth/device-links/{id}/complete',
      access: 'anyone',
      summary: 'Signs the confirmed device in, once: its signature is over the new challenge.',
      params: idParam,
      body: deviceLinkComplete,
      status: 200,
      answer: signedIn,
      errors: [...errors, 'invalid_credentials'],
      async handle({ params: { id }, body, address, request }) {
        const { signature, keepSignedIn } = body
        const before = await findOwn({ id, signature, purpose: 'complete', address })
        const isAgain = before.state === 'used'
        const link = isAgain
          ? before
          : linkLimits.require(await deviceLinks.take({ kind: 'use', id }), address)
        const { by, sessionId } = link
        const isOpen = by && sessionId && (await sessions.isOpen(by))
        const account = isOpen && (await accounts.find(by.userId))
        // Whoever confirmed it was signed out since, or the password changed: that ends this too.
        const isSame = account && (account.passwordChanges ?? 0) === (by.passwordChanges ?? 0)
        if (!isSame) throw new RequestRefused('device_link_refused')
        const known = isAgain ? await findSignIn(link) : undefined
        if (isAgain && !known) throw new RequestRefused('device_link_used')
        const session = await signIn({
          account,
          isKept: keepSignedIn !== false,
          request,
          ...(known ? { known } : { sessionId }),
        })
        return { ...session, ...(link.handedKeys && { handedKeys: link.handedKeys }) }
      },
    }),
  ]
}
