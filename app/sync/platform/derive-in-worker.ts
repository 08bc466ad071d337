import type { PasswordDerivation } from '../../../schema/encryption/password-derivation.ts'
import type { PasswordSecrets } from '../../encryption/password-secrets.ts'
import type { PasswordWork, PasswordWorkResult } from '../../encryption/password-worker.ts'

/**
 * `derivePasswordSecrets` in a thread of its own; where a browser starts none, in the page.
 * @throws WeakDerivation
 */
export async function deriveInWorker(
  password: string,
  derivation: PasswordDerivation,
): Promise<PasswordSecrets> {
  const result = await askWorker({ password, derivation }).catch(() => undefined)
  if (result && 'secrets' in result) return result.secrets
  const { derivePasswordSecrets, WeakDerivation } = await import(
    '../../encryption/password-secrets.ts'
  )
  if (result?.failed === 'weak') throw new WeakDerivation()
  return await derivePasswordSecrets(password, derivation)
}

async function askWorker(work: PasswordWork): Promise<PasswordWorkResult> {
  const worker = new Worker(new URL('../../encryption/password-worker.ts', import.meta.url), {
    type: 'module',
  })
  try {
    return await new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }) => resolve(data))
      worker.addEventListener('error', () => reject(new Error('The thread did not start.')))
      worker.postMessage(work)
    })
  } finally {
    worker.terminate()
  }
}
