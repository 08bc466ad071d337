import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx'

interface BlockDialogProps {
  name: string
  onBlock(): void
  onClose(): void
}

/** Says what blocking does before it is done. */
export function BlockDialog({ name, onBlock, onClose }: BlockDialogProps) {
  return (
    <ConfirmDialog
      title={`Block ${name}?`}
      text={`Messages from ${name} won't reach you, and neither of you will see when the other is online. ${name} won't get a notice. The messages you have stay here.`}
      confirmLabel="Block"
      isDanger
      onConfirm={onBlock}
      onClose={onClose}
    />
  )
}
