import { useState } from 'react'
import { type TypedPasswordChange, typedPasswordChange } from '../../../schema/api/auth.ts'
import { limits } from '../../../schema/limits.ts'
import { DialogPassword } from '../../ui/forms/dialog-password.tsx'
import { AccountForm } from './account-form.tsx'
import { useAccountForm } from './use-account-form.ts'

interface PasswordDialogProps {
  isOffline(): boolean
  /** Rejects with words for a person. */
  onChange(change: TypedPasswordChange): Promise<unknown>
  onClose(): void
}

export function PasswordDialog({ isOffline, onChange, onClose }: PasswordDialogProps) {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const [repeated, setRepeated] = useState('')
  const form = useAccountForm({
    isOffline,
    check() {
      if (newPassword !== repeated) return 'Passwords do not match'
      const change = { currentPassword, newPassword }
      return typedPasswordChange.safeParse(change).error?.issues[0]?.message
    },
    send: () => onChange({ currentPassword, newPassword }),
    fallback: 'Failed to change the password',
  })
  return (
    <AccountForm
      form={form}
      title="Change password"
      text="This logs out all your other devices. This one stays logged in."
      done={{ title: 'Password changed', text: 'All your other devices are logged out.' }}
      onClose={onClose}
    >
      <DialogPassword
        label="Current password"
        name="current"
        autoComplete="current-password"
        value={currentPassword}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <DialogPassword
        label="New password"
        name="new"
        autoComplete="new-password"
        placeholder={`At least ${limits.password.minLength} characters`}
        value={newPassword}
        onChange={(event) => setNew(event.target.value)}
      />
      <DialogPassword
        label="Repeat new password"
        name="repeated"
        autoComplete="new-password"
        value={repeated}
        onChange={(event) => setRepeated(event.target.value)}
      />
    </AccountForm>
  )
}
