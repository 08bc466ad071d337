import type { Request } from 'express'

/**
 * Some replicators only support user and password in a URL: takes the password as the token, under
 * any user name, and checks it as usual.
 */
export function acceptBasicToken(request: Request) {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (encoded === undefined) return
  const login = Buffer.from(encoded, 'base64').toString()
  request.headers.authorization = `Bearer ${login.slice(login.indexOf(':') + 1)}`
}
