import type * as z from 'zod/mini'
import { type SignedIn, signedIn } from '../../schema/api/auth.ts'
import {
  type DeviceLinkBegun,
  type DeviceLinkStep,
  deviceLinkBegun,
  deviceLinkCancelled,
  deviceLinkDecided,
  deviceLinkStep,
  type HandedKeys,
  type ScannedDevice,
  scannedDevice,
} from '../../schema/api/device-link.ts'
import { limits } from '../../schema/limits.ts'
import type { Caller, CallOptions } from './caller.ts'

/** A call that waits on the server may take as long, and the way there and back. */
const waitTimeoutMs = limits.deviceLinks.waitMaxMs + limits.apiTimeoutMs

export type LinkingCalls = ReturnType<typeof createLinkingCalls>

/** Signing in a new device by its code: the device's own calls, and those of who scanned it. */
export function createLinkingCalls(options: { call: Caller; callSignedIn: Caller }) {
  const { call, callSignedIn } = options
  const ofDevice = (id: string, step: string) =>
    `/auth/device-links/${encodeURIComponent(id)}/${step}`
  const ofPerson = (id: string) => `/users/me/device-links/${encodeURIComponent(id)}`
  return {
    begin: (
      publicKey: string,
      { agreement, ...options }: CallOptions & { agreement?: string } = {},
    ): Promise<DeviceLinkBegun> =>
      call({
        ...options,
        method: 'POST',
        path: '/auth/device-links',
        body: { publicKey, ...(agreement && { agreement }) },
        answer: deviceLinkBegun,
        fallback: "Couldn't make a code",
      }),

    /** Waits until the link is no longer as it was `seen`, or for 25 s. */
    wait: (
      given: { id: string; signature: string; seen: DeviceLinkStep['state'] },
      options?: CallOptions,
    ): Promise<DeviceLinkStep> =>
      call({
        ...options,
        method: 'POST',
        path: ofDevice(given.id, 'wait'),
        body: { signature: given.signature, seen: given.seen },
        answer: deviceLinkStep,
        fallback: "Couldn't check the code",
        timeoutMs: waitTimeoutMs,
      }),

    async cancel(given: { id: string; signature: string }): Promise<void> {
      await call({
        method: 'POST',
        path: ofDevice(given.id, 'cancel'),
        body: { signature: given.signature },
        answer: deviceLinkCancelled,
        fallback: "Couldn't cancel",
      })
    },

    complete: (
      given: { id: string; signature: string; keepSignedIn: boolean },
      options?: CallOptions,
    ): Promise<SignedIn> =>
      call({
        ...options,
        method: 'POST',
        path: ofDevice(given.id, 'complete'),
        body: { signature: given.signature, keepSignedIn: given.keepSignedIn },
        answer: signedIn,
        fallback: 'Login failed',
      }),

    /** Which device shows this code? From now on nobody else can confirm it. */
    scan: (id: string, options?: CallOptions): Promise<ScannedDevice> =>
      callSignedIn({
        ...options,
        method: 'POST',
        path: ofPerson(id),
        answer: scannedDevice,
        fallback: "Couldn't check the code",
      }),

    /** Waits until the scanned device is no longer as it was `seen`, or for 25 s. */
    watch: (
      given: { id: string; seen: ScannedDevice['state'] },
      options?: CallOptions,
    ): Promise<ScannedDevice> =>
      callSignedIn({
        ...options,
        path: `${ofPerson(given.id)}?seen=${given.seen}`,
        answer: scannedDevice,
        fallback: "Couldn't check the code",
        timeoutMs: waitTimeoutMs,
      }),

    decide: (given: {
      id: string
      isAllowed: boolean
      handedKeys?: HandedKeys
    }): Promise<z.infer<typeof deviceLinkDecided>> =>
      callSignedIn({
        method: 'PUT',
        path: ofPerson(given.id),
        body: {
          isAllowed: given.isAllowed,
          ...(given.handedKeys && { handedKeys: given.handedKeys }),
        },
        answer: deviceLinkDecided,
        fallback: "Couldn't link the device",
      }),
  }
}
