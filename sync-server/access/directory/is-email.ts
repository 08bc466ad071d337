import { email } from '../../../schema/user.ts'

/** Is this typed text a whole email address? */
export function isEmail(text: string): boolean {
  return email.safeParse(text.trim()).success
}
