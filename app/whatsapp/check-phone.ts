import { limits } from '../../schema/limits.ts'

const { min, max } = limits.phoneDigits

/** The digits of a valid number, or the problem. Source: decision 61, section 5. */
export function checkPhone(text: string): { digits: string } | { problem: string } {
  if (text.trim() === '') return { problem: 'Phone number is required' }
  const digits = text.replace(/\D/g, '')
  if (digits.length >= min && digits.length <= max) return { digits }
  return {
    problem: 'Invalid phone number format. Please use international format (e.g., +1234567890)',
  }
}
