import type { Response } from 'express'
import { createAnswerBody } from './answer-body.ts'

/** Sends JSON without Express's ETag: hashing pages that nobody requests twice is wasted work. */
export function sendJson(response: Response, status: number, body: unknown) {
  response.status(status).set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  createAnswerBody(response).end(`${JSON.stringify(body)}\n`)
}
