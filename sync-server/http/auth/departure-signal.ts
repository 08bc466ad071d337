import type { Response } from 'express'
import { CallerGone } from '../../access/password-hasher.ts'
import { alreadySent } from '../core/route.ts'

/**
 * Runs work with a signal that aborts when the caller hangs up. Work that ends with `CallerGone`
 * sends no answer.
 */
export async function withDepartureSignal<Answer>(
  response: Response,
  work: (gone: AbortSignal) => Promise<Answer>,
): Promise<Answer | typeof alreadySent> {
  const departure = new AbortController()
  const leave = () => departure.abort()
  response.once('close', leave)
  if (response.destroyed) leave()
  try {
    return await work(departure.signal)
  } catch (error) {
    if (error instanceof CallerGone) return alreadySent
    throw error
  } finally {
    response.off('close', leave)
  }
}
