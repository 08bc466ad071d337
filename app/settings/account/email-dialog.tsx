import { useState } from 'react'
import { emailChange } from '../../../schema/api/auth.ts'
import { limits } from '../../../schema/limits.ts'
import { DialogPassword } from '../../ui/forms/dialog-password.tsx'
import { AccountField, AccountForm } from './account-form.tsx'
import { useAccountForm } from './use-account-form.ts'

interface EmailDialogProps {
  email: string
  isOffline(): boolean
  /** Rejects with words for a person. */
  onChange(change: { email: string; password: string }): Promise<unknown>
  onClose(): void
}

export function EmailDialog({ email: current, isOffline, onChange, onClose }: EmailDialogProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const form = useAccountForm({
    isOffline,
    check() {
      if (email.trim() === current) return 'This is your email already.'
      return emailChange.safeParse({ email, password }).error?.issues[0]?.message
    },
    send: () => onChange({ email: email.trim(), password }),
    fallback: 'Failed to change the email',
  })
  return (
    <AccountForm
      form={form}
      title="Change email"
      text={`Your email is ${current}. The old one will no longer sign you in.`}
      done={{ title: 'Email changed', text: `You sign in with ${current} from now on.` }}
      onClose={onClose}
    >
      <AccountField
        label="New email"
        type="email"
        name="email"
        autoComplete="email"
        maxLength={limits.emailMaxLength}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <DialogPassword
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </AccountForm>
  )
}
