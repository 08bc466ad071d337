import type { Response } from 'express'
import { createAnswerBody } from './answer-body.ts'

/** Without Express's ETag: hashing pages of documents that are never asked for twice is wasted work. */
export function sendJson(response: Response, status: number, body: unknown) {
  response.status(status).set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  createAnswerBody(response).end(`${JSON.stringify(body)}\n`)
}
