import { useState } from 'react'
import { accountDeletion } from '../../schema/api/auth.ts'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { DialogForm } from '../ui/forms/dialog-form.tsx'
import { DialogPassword } from '../ui/forms/dialog-password.tsx'
import { useSubmission } from '../ui/forms/use-submission.ts'

interface DeleteAccountDialogProps {
  /** Rejects with words for a person. */
  onDelete(deletion: { password: string }): Promise<void>
  onClose(): void
}

/** Asks the specification's question, and for the password: a phone left on a table is not enough. */
export function DeleteAccountDialog({ onDelete, onClose }: DeleteAccountDialogProps) {
  const [password, setPassword] = useState('')
  const { problem, setProblem, isBusy, run } = useSubmission()

  function submit() {
    if (isBusy) return
    const { success, error } = accountDeletion.safeParse({ password })
    if (!success) setProblem(error.issues[0]?.message)
    else
      void run(
        () => onDelete({ password }),
        (words) => words || 'Failed to delete account',
      )
  }

  return (
    <Dialog
      title="Are you sure you want to delete your account? This action cannot be undone."
      text="Your chats, your sign-ins and your profile will be deleted. Others keep the messages you sent them, from “Deleted user”. Your name stays reserved for your email for 30 days. Reports stay for a year."
      onClose={onClose}
    >
      <DialogForm
        onSubmit={submit}
        action={isBusy ? 'Deleting...' : 'Delete Account'}
        onLeave={onClose}
        problem={problem}
        isBusy={isBusy}
        isDanger
      >
        <DialogPassword
          label="Password"
          name="password"
          autoComplete="current-password"
          aria-invalid={problem !== undefined || undefined}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  )
}
