import { limits } from '../../schema/limits.ts'

interface RegistrationDraft {
  password: string
  confirmation: string
}

/** The first problem or undefined; their order is that of decision 61, section 5. */
export function checkRegistration({
  password,
  confirmation,
}: RegistrationDraft): string | undefined {
  if (password !== confirmation) return 'Passwords do not match'
  const { minLength } = limits.password
  if (password.length < minLength) return `Password must be at least ${minLength} characters`
  return undefined
}
