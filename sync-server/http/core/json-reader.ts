import type { IncomingMessage } from 'node:http'
import express, { type RequestHandler } from 'express'
import { RequestRefused } from './request-refused.ts'

const depthMax = 32

/**
 * Reads a JSON body of at most `limitBytes`. Refuses before parsing what nests deeply, because code
 * that walks it would overflow the stack, and what has more than `valuesMax` values: in memory `{}`
 * is thirty times larger, and takes as long as a word. Refuses other content types; rejects an empty
 * body, which Express would read as `{}` and so clear what a call replaces.
 */
export function createJsonReader(options: {
  limitBytes: number
  valuesMax: number
}): RequestHandler {
  const { limitBytes, valuesMax } = options
  function checkText(_request: unknown, _response: unknown, body: Buffer) {
    if (body.length === 0) throw new RequestRefused('not_json')
    const { depth, values } = measureJson(body)
    if (depth > depthMax) throw new RequestRefused('nested_too_deeply')
    if (values > valuesMax) throw new RequestRefused('too_large')
  }
  const read = express.json({ limit: limitBytes, strict: false, verify: checkText })
  return (request, response, next) => {
    if (!hasBody(request)) return next()
    if (request.is('json')) read(request, response, next)
    else next(new RequestRefused('json_required'))
  }
}

const [openBrace, closeBrace, openBracket, closeBracket, comma] = Buffer.from('{}[],')
const [quote, backslash] = Buffer.from('"\\')

/**
 * How deep objects and arrays nest, and at most how many values there are; ignores what is inside
 * strings.
 */
export function measureJson(json: Buffer): { depth: number; values: number } {
  let depth = 0
  let deepest = 0
  let values = 1
  let isInString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (isInString) {
      if (byte === backslash) at += 1
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === comma) values += 1
    else if (byte === openBrace || byte === openBracket) {
      deepest = Math.max(deepest, ++depth)
      values += 1
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1
  }
  return { depth: deepest, values }
}

/** Does this request have a body? */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}
