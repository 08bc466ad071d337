import type { PasswordDerivation } from '../../schema/encryption/password-derivation.ts'
import { derivePasswordSecrets, type PasswordSecrets, WeakDerivation } from './password-secrets.ts'

export interface PasswordWork {
  password: string
  derivation: PasswordDerivation
}

/** `weak`: the server asked for less than this app takes. */
export type PasswordWorkResult = { secrets: PasswordSecrets } | { failed: 'weak' | 'other' }

// Derives in a thread of its own: the screen keeps moving, and the memory is freed with the thread.
globalThis.addEventListener?.('message', ({ data }: MessageEvent<PasswordWork>) => {
  void derivePasswordSecrets(data.password, data.derivation)
    .then((secrets): PasswordWorkResult => ({ secrets }))
    .catch((cause): PasswordWorkResult => {
      return { failed: cause instanceof WeakDerivation ? 'weak' : 'other' }
    })
    .then((result) => globalThis.postMessage(result))
})
